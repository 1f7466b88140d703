package meter_test

import "testing"

// brief reports whether a tenth of the long tests is enough: in short runs, and under the race detector, which makes them ten times
// slower and cannot find anything in code without shared data. CI runs all of them once without it.
func brief() bool { return testing.Short() || raceEnabled }
