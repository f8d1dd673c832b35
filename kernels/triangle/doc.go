// Package triangle counts triangles, all of them and by vertex.
package triangle
