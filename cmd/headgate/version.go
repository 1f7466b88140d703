package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is stamped by the build: -ldflags "-X main.version=v1.2.3". It is empty in a plain go build.
var version string

// readProgramVersion returns the stamped version, or else the version that the Go command recorded, or "dev".
func readProgramVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}

// formatVersion returns what "headgate version" and "headgate --version" print.
func formatVersion() string {
	return fmt.Sprintf("headgate %s %s %s/%s%s\n", readProgramVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH, readRevision())
}

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(c.OutOrStdout(), formatVersion())
			return err
		},
	}
}

// readRevision returns a space and the commit that the binary was built from, or "" if the build did not record it.
func readRevision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return " " + s.Value[:12]
		}
	}
	return ""
}
