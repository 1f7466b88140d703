package pii

import "strings"

// remotePath bounds the path of a remote that is read.
const remotePath = 100

// isRemotePath reports whether local@domain, which ends at end, is the user of a machine before a path, as git, scp and rsync write it:
// "kim@host.example:owner/name.git".
func isRemotePath(s *scan, from, at, end int) bool {
	t := s.v.s
	if end+1 >= len(t) || t[end] != ':' {
		return false
	}
	c := t[end+1]
	if c == '/' || c == '~' {
		return true
	}
	if l := t[from:at]; (l == "git" || l == "hg" || l == "svn") && (isWordByte(c) || c == '.') {
		return true
	}
	k := end + 1
	for k < len(t) && k-end < remotePath && (isWordByte(t[k]) || isOneOf(t[k], "/-.~+")) {
		k++
	}
	s.noteLookAhead(from, k+1)
	path := strings.TrimRight(t[end+1:k], "/.")
	return strings.HasSuffix(path, ".git") || isPathOfMachine(path) && findByteAt(t, k) != ':' &&
		(followsCopying(s, from) || isDotless(t[from:at]) && hostsRepositories(strings.ToLower(t[at+1:end])))
}

// followsCopying reports whether the name of a command that copies from or to machines precedes i in its line.
func followsCopying(s *scan, i int) bool {
	line := s.v.s[s.v.stepBack(i, keyedBack):i]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	for w := range strings.FieldsSeq(line) {
		switch strings.Trim(w, "`$\"'(") {
		case "scp", "rsync", "sftp", "sshfs", "git", "hg", "svn":
			return true
		}
	}
	return false
}

// isPathOfMachine reports whether v is a path of names below the folder of a user: "build/out", and not a password or the scheme of a URL.
func isPathOfMachine(v string) bool {
	if !strings.Contains(v, "/") || strings.Contains(v, "//") {
		return false
	}
	for piece := range strings.SplitSeq(v, "/") {
		if len(piece) < 2 || !isDigitless(piece) || !isPronounceable(piece) {
			return false
		}
	}
	return true
}
