// Package rank scores vertices by the edges that lead to them: page rank, article rank, eigenvector centrality, degree.
//
// Input: any snapshot, and a pattern.ScoreRequest.
//
// Output: a score for every vertex; 0 outside of the request's set.
//
//   - PageRank: the share of time that a walk spends at each vertex. With probability Damping it follows an edge, in proportion to
//     the weights; otherwise, and where no edge leads on, it starts anew at a vertex (one of Sources). Scores add up to 1.
//   - ArticleRank: a vertex passes on Damping times its score, of which each edge takes its weight divided by the vertex's strength plus
//     the mean strength. Every vertex has 1-Damping of its own.
//   - Eigenvector: a score is proportional to the sum of the scores that edges bring. The squares of the scores add up to 1.
//   - Degree: the sum of the weights of the edges that lead on.
//
// Errors: the errors of all page ranks (or article ranks) together are at most Tolerance times the sum of all scores, apart from
// rounding. For eigenvectors in direction Both, the length of the error is at most Tolerance, by the distance of the next eigenvalue that the
// search sees; in other directions, the residual |Ax - cx| is at most Tolerance times c. Degrees are exact up to rounding.
//
// What makes it fast: page rank solves its linear system by Gauss and Seidel: a block of vertices at a time, which reads the
// new scores of the blocks before it. That needs half the passes of a plain iteration. Mass of vertices where no edge leads on is
// put in place by one division at the end. Blocks do not depend on the number of workers, and each vertex adds up its own row: answers are
// equal to the last bit for any number.
//
// Degrees without weights are differences of a view's offsets. Nobody computes them before a program reads them, and no row is copied: a
// view keeps the list of its loops.
//
// Eigenvectors of symmetric matrices come from Krylov spaces of 16 products (Lanczos), made orthogonal in full.
//
// Source: Lanczos (1950); Page, Brin, Motwani and Winograd (1999); Gleich, Gray, Greif and Lau, "An inner-outer iteration for computing PageRank" (2010)
// for the linear system. Oracle: Gaussian elimination, and a dense power iteration (package testgraph).
package rank
