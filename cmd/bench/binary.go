package main

import "debug/buildinfo"

// binaryInfo describes how the measured gateway was built.
type binaryInfo struct {
	GoVersion string            `json:"go_version"`
	Settings  map[string]string `json:"settings"` // GOAMD64, -pgo, vcs.revision, …, as the Go tool recorded them
}

// recordedSettings are the build settings that affect the measurement or identify the source.
var recordedSettings = []string{"-pgo", "-race", "-tags", "CGO_ENABLED", "GOAMD64", "GOEXPERIMENT", "vcs.revision", "vcs.modified"}

// readBinary returns nil for a file that the Go tool did not build.
func readBinary(name string) *binaryInfo {
	info, err := buildinfo.ReadFile(name)
	if err != nil {
		return nil
	}
	b := &binaryInfo{GoVersion: info.GoVersion, Settings: map[string]string{}}
	for _, s := range info.Settings {
		for _, want := range recordedSettings {
			if s.Key == want {
				b.Settings[s.Key] = s.Value
			}
		}
	}
	return b
}
