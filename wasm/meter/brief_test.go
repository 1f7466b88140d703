package meter_test

import "testing"

// brief reports whether a tenth of the long tests is enough: in short runs, and
// under the race detector, which makes them ten times slower and has nothing to
// find in code that shares nothing. CI runs them whole once, without it.
func brief() bool { return testing.Short() || raceEnabled }
