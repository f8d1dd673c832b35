package main

import (
	"context"
	"fmt"
	"os"

	"github.com/motifql/motif/cmd/motif-cluster/blobs"
	"github.com/motifql/motif/internal/repl"
)

type snapshotCmd struct {
	Push  pushCmd  `cmd:"" help:"Store the graph of a store in object storage. Only blocks that are not there yet are written."`
	Pull  pullCmd  `cmd:"" help:"Make a store from a snapshot."`
	Fetch fetchCmd `cmd:"" help:"Bring a snapshot to this machine's cache, and print the folder that it is in."`
}

type pushCmd struct {
	DB  string `arg:"" name:"db" help:"Folder of the store."`
	URL string `arg:"" name:"url" help:"Where to: s3://BUCKET/PATH, gs://BUCKET/PATH, azblob://CONTAINER/PATH or file:///FOLDER."`
}

// Run stores a snapshot and prints its URL.
func (c *pushCmd) Run(ctx context.Context) error {
	bar := repl.NewBar(os.Stderr)
	defer bar.Close()
	pushed, err := blobs.Push(ctx, c.DB, c.URL, show(bar, "pushing"))
	if err != nil {
		return err
	}
	bar.Close()
	fmt.Fprintf(os.Stderr, "pushed %d of %d blocks, %d of %d bytes; the others were there\n", pushed.New, pushed.Blocks, pushed.NewBytes, pushed.Bytes)
	fmt.Println(pushed.URL)
	return nil
}

type pullCmd struct {
	URL string `arg:"" name:"url" help:"The snapshot, as push printed it, or where it was pushed to for the last one."`
	DB  string `arg:"" name:"db" help:"Folder of the store to make."`
}

// Run makes a store.
func (c *pullCmd) Run(ctx context.Context) error {
	bar := repl.NewBar(os.Stderr)
	defer bar.Close()
	return blobs.Pull(ctx, c.URL, c.DB, show(bar, "pulling"))
}

// cacheFlag belongs to all commands that read a graph.
type cacheFlag struct {
	Cache string `placeholder:"DIR" env:"MOTIF_CACHE" help:"Folder for snapshots, which processes of this machine share (default: motif-cluster in the user's folder of caches)."`
}

// fetch returns the folder of a graph.
func (f cacheFlag) fetch(ctx context.Context, graph string) (string, error) {
	bar := repl.NewBar(os.Stderr)
	defer bar.Close()
	return blobs.FetchWith(ctx, graph, f.Cache, show(bar, "fetching"))
}

type fetchCmd struct {
	Graph string `arg:"" help:"URL of a snapshot, or folder of a store."`
	cacheFlag
}

// Run fetches the graph and prints where it is.
func (c *fetchCmd) Run(ctx context.Context) error {
	dir, err := c.fetch(ctx, c.Graph)
	if err == nil {
		fmt.Println(dir)
	}
	return err
}

// show shows progress on a bar.
func show(bar *repl.Bar, stage string) blobs.Progress {
	return func(done, total int64) { bar.Show(stage, uint64(done), uint64(total)) }
}
