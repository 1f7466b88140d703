package core

import "context"

// A Meter is a context that also counts the CPU time of the stage that it was handed to.
type Meter interface {
	context.Context
	// CheckCPU returns an error once the stage has used the time that its link may use. Only the goroutine of the
	// stage's call may call it, and only during that call.
	CheckCPU() error
}

// CheckWork says whether a stage goes on with its work. It returns an error when ctx has ended, or when the link has used
// its CPU time; the stage then returns that error. A compiled-in stage calls it at least once for every 64 KiB that it reads.
func CheckWork(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if m, ok := ctx.(Meter); ok {
		return m.CheckCPU()
	}
	return nil
}
