package plugins

// BesideName is the name of the manifest beside a module's file.
func BesideName(file string) string {
	name, _ := besideName(file)
	return name
}

// SignatureName is the name of the signature beside a module's file, in place of which one that ends in .minisig counts
// too.
func SignatureName(file string) string { return file + sigSuffix }
