Creator "a hand"
graph
[
  comment "a part of a club"
  directed 0
  node
  [
    id 1
    label "Mr Hi"
    graphics [ x 1.5 y 2.0 ]
  ]
  node [ id 2 label "Ann &amp; Bob" tag "a" tag "b" ]
  node [ id 5 label "O" value -3.25 ]
  edge [ source 1 target 2 weight 4 ]
  edge [ source 5 target 1 label "knows" ]
]
