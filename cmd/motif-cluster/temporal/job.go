// Package temporal runs the units of a query on Temporal. The workflow Query has a query prepared, hands its units to workers, and has their
// parts merged and the rows written. All that reads the graph happens in activities, so the workflow depends on the history alone.
package temporal

import (
	"encoding/json"
	"time"
)

// queue is the task queue of workflows and units.
const queue = "motif"

// queryType is the name of the workflow.
const queryType = "Query"

// Request is a query to be run on many machines.
type Request struct {
	Snapshot string        // the graph: a URL of a snapshot, or the folder of a store that all workers see
	Blobs    string        // where parts above 256 KiB go: the URL of a bucket, or a folder that all workers see; "": nowhere
	Query    string        // its text
	Params   []string      // NAME=VALUE
	Memory   int64         // bytes that a unit may take; 0: any
	Format   string        // of the rows
	Slots    int           // of all workers
	Units    int           // about how many units to begin with; 0: 50 a slot, or none if the query is short
	Budget   time.Duration // for a run of a unit
	Dry      bool          // the rows say what the job will cost, and no unit runs but as a sample
	PerRun   int           // batches of units until the workflow goes on in a new run; 0: 5,000
}

// light returns what the activities after Prepare need of the request, since the spec has the rest.
func (r Request) light() Request {
	r.Query, r.Params = "", nil
	return r
}

// Answer is what a job has come to.
type Answer struct {
	Rows     Piece  // in the format of the request
	Blobs    string // the bucket of the request
	Warnings []string
	Counters Counters
}

// Counters say how far a job is.
type Counters struct {
	Done     int           // units
	Open     int           // units that workers have
	Queued   int           // units that no worker has
	Split    int           // units that were cut since they needed too much memory
	Attempts int           // runs of batches, with those of lost workers
	Work     time.Duration // of workers, in completed attempts
}

// unit is a motif.Unit as JSON. The workflow does not look into it.
type unit = json.RawMessage

// prepared is the answer of the activity Prepare.
type prepared struct {
	Snapshot string // the one that all units read
	Spec     Piece
	Units    []unit
	Answer   *Answer // if the query was short
}

// batch is the input of the activity RunUnits: units that one worker runs one after the other.
type batch struct {
	Request
	Spec  Piece
	Units []unit
}

// batchDone is the answer of RunUnits.
type batchDone struct {
	Part    Piece // of the units that ran, if any
	Ran     int
	Split   int    // units that needed too much memory, and are in Rest in pieces
	Rest    []unit // what is left of the batch
	Attempt int
	Took    time.Duration
}

// merge is the input of the activities MergeParts and Finish.
type merge struct {
	Request
	Spec  Piece
	Parts []Piece
}
