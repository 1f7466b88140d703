package core

import "context"

// CheckWork says whether a stage goes on with its work. It returns an error when ctx has ended, or when the link has used
// its CPU time; the stage then returns that error. A compiled-in stage that scans text calls it at least once for every 64 KiB
// that it reads, on the goroutine of its call.
func CheckWork(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if m, ok := ctx.(interface{ CheckCPU() error }); ok {
		return m.CheckCPU()
	}
	return nil
}
