// Package explorer answers the page of motif explore, and of the playground. An open graph goes in, and an http.Handler comes out: it serves the
// page's files, checks and completes queries, draws a pattern and writes its text, runs queries as JSON Lines, and finds neighbours, shells and places
// for pictures.
//
// The handler serves programs of this machine only, and only those with the token of the opened URL. It refuses what another site's page sends. It
// changes the graph only if Options.Write says so, reads no file, and stops a query at the limits of Options. An answer says where a limit cut it.
package explorer
