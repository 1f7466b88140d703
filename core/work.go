package core

import "context"

// CheckWork reports whether a stage may continue. It returns an error if ctx has ended or the link has used up its CPU time;
// the stage must return that error. A compiled-in stage that scans text calls it at least once for every 64 KiB that it reads,
// on the goroutine of its call.
func CheckWork(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if m, ok := ctx.(interface{ CheckCPU() error }); ok {
		return m.CheckCPU()
	}
	return nil
}
