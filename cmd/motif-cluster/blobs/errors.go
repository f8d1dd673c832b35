package blobs

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"gocloud.dev/gcerrors"
)

// Errors of snapshots. Test for these with errors.Is.
var (
	ErrNoSnapshot = errors.New("there is no snapshot")
	ErrMissing    = errors.New("a blob of the snapshot is missing")
	ErrDamaged    = errors.New("a blob of the snapshot is damaged")
	ErrCacheFull  = errors.New("no space is left for the snapshot")
	ErrUnfetched  = errors.New("a part of the graph that the query needs could not be fetched")
	ErrStalled    = errors.New("no byte arrived for too long")
)

// named gives an error of a local file its name if the disk is full.
func named(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: make room, then try again: %w", ErrCacheFull, err)
	}
	return err
}

// lasting reports whether an error would come again.
func lasting(err error) bool {
	switch gcerrors.Code(err) {
	case gcerrors.NotFound, gcerrors.PermissionDenied, gcerrors.InvalidArgument, gcerrors.Unimplemented:
		return true
	}
	return errors.Is(err, ErrMissing)
}

// done returns the error of a context that has ended, with its cause.
func done(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}
