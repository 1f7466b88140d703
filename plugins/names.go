package plugins

// FormatManifestName returns the name of the manifest beside a module's file.
func FormatManifestName(file string) string {
	name, _ := findManifestName(file)
	return name
}

// FormatSignatureName returns the name of the signature beside a module's file. One that ends in .minisig is accepted too.
func FormatSignatureName(file string) string { return file + sigSuffix }

// IsFileName reports whether a name can be that of a file in the plugins folder: no path, and nothing that a line of plugins.lock cannot
// hold.
func IsFileName(name string) bool { return isPlainFile(name) }
