package main

import (
	"context"
	"fmt"

	"github.com/motifql/motif/cmd/motif-cluster/blobs"
)

type snapshotCmd struct {
	Fetch fetchCmd `cmd:"" help:"Print the folder of the store that holds a graph on this machine."`
}

type fetchCmd struct {
	Graph string `arg:"" help:"Folder of a store."`
	Cache string `placeholder:"DIR" help:"Folder that keeps what was fetched."`
}

// Run fetches the graph and prints where it is.
func (c *fetchCmd) Run(ctx context.Context) error {
	dir, err := blobs.Fetch(ctx, c.Graph, c.Cache)
	if err == nil {
		fmt.Println(dir)
	}
	return err
}
