package pii

import (
	"slices"
	"strings"
)

// isSystemPath reports whether v is the path of a file on a computer: "/usr/bin/chage" behind the name of the package "passwd".
func isSystemPath(v string) bool {
	if v[0] != '/' {
		return false
	}
	root, rest, _ := strings.Cut(v[1:], "/")
	return rest != "" && isInSet(systemRoots, root)
}

// isPathOfSecret reports whether v is the path of a file in words without digits that may hold a secret, in a folder that says so:
// "/config/auth/my.key".
func isPathOfSecret(v string) bool {
	point := strings.LastIndexByte(v, '.')
	if v[0] != '/' || point < 0 || !isInSet(secretFiles, v[point+1:]) || strings.Trim(v, "abcdefghijklmnopqrstuvwxyz/._-") != "" {
		return false
	}
	folder, rest, ok := strings.Cut(v[1:], "/")
	return ok && rest != "" && isInSet(secretFolders, folder)
}

// secretFolders are folders in the root of containers.
var secretFolders = buildSet("config", "configs", "conf", "auth", "secret", "secrets", "cert", "certs", "keys", "ssl", "tls", "ssh")

// secretFiles end the names of files with secrets.
var secretFiles = buildSet("key", "pem", "crt", "txt", "json", "yml", "yaml", "conf", "cfg", "pass", "secret", "pwd")

// systemRoots are folders in the root of Linux and macOS.
var systemRoots = buildSet("usr", "etc", "bin", "sbin", "lib", "lib64", "opt", "var", "run", "home", "root", "tmp", "dev", "proc", "sys",
	"srv", "mnt", "Users", "Applications", "Library", "private")

// numbersError reports whether v, behind the name of a password and the separator at i, is the number of an error or of a member of an
// enumeration: "kErrorWrongPassword = 17009", "e[e.ILLEGAL_PASSWORD=2028]". to is where v ends.
func numbersError(s *scan, i, to int, v string) bool {
	if len(v) > 6 || strings.Trim(v, digits09) != "" {
		return false
	}
	t := s.v.s
	from, end := s.findNameBefore(i)
	if from > 0 && t[from-1] == '[' && findByteAt(t, to) == ']' && strings.Contains(t[from:end], ".") {
		return true
	}
	for k := from; k < end; k++ {
		for _, w := range errorWords {
			if hasFold(t[:end], k, w) {
				return true
			}
		}
	}
	return false
}

// errorWords are in the names of errors about passwords.
var errorWords = strings.Fields("error invalid illegal wrong incorrect missing expired mismatch")

// standsForValue reports whether the name t[from:end] before the '>' at i stands in a tag for a value that a reader puts there: "<your
// password>", "--password=<password>", "--user <user:password> Server user", "<cert[:password]>".
func standsForValue(s *scan, i, from, end int) bool {
	t := s.v.s
	next := findByteAt(t, i+1)
	switch t[from-1] {
	case ' ':
		return from > 1
	case ':':
		return end < i || next == ' '
	case '<':
		return next == ' ' && findByteBefore(t, from-1) == '=' || isOneOf(next, " \n") && fillsUsage(t, from-1) || endsUsage(s, i, from-1)
	}
	return false
}

// usageReach is how far behind a usage line prose and the end of an element of XML are looked for, and usageWords how many words the line
// and the prose have at least.
const (
	usageReach = valueMax + 16
	usageWords = 4
)

// endsUsage reports whether the '<' at from is that of "<password>", which ends at i, a command of several words, and stands before an
// empty line and an indented sentence, as manuals show commands: "set system proxy password <password>\n\n Some proxies need a
// password.".
func endsUsage(s *scan, i, from int) bool {
	t, low := s.v.s, s.v.stepBack(i, keyedBack)
	if from < 2 || t[from-1] != ' ' || !isLetterByte(t[from-2]) {
		return false
	}
	s.noteLookAhead(i, i+usageReach)
	rest := t[i+1 : min(len(t), i+usageReach)]
	if !strings.HasPrefix(rest, "\n\n ") || strings.Contains(rest, "</") {
		return false
	}
	command := t[max(low, strings.LastIndexByte(t[:from], '\n')+1):from]
	return len(strings.Fields(command)) >= usageWords && beginsSentence(strings.TrimLeft(rest, "\n "))
}

// beginsSentence reports whether the first line of v begins with a word in small letters behind a capital and has many words, one of
// them a particle, and no digit: passwords of words have fewer and no particles.
func beginsSentence(v string) bool {
	line, _, _ := strings.Cut(v, "\n")
	words := strings.Fields(line)
	if len(words) <= usageWords || !isUpper(words[0][0]) || !isPlainWord(words[0]) || !isDigitless(line) {
		return false
	}
	return slices.ContainsFunc(words, func(w string) bool { return isInSet(sentenceWords, w) })
}

// sentenceWords make words a sentence.
var sentenceWords = buildSet("a", "an", "the", "of", "for", "to", "is", "are", "when", "which", "that", "with", "by", "used")

// fillsUsage reports whether the '<' at from is that of "<password>" in a line that says how to call a command: behind an option, or
// behind another argument, "htpasswd <file> <user> <password>". An element of XML stands first or behind the end of another.
func fillsUsage(t string, from int) bool {
	k := from
	for k > 0 && t[k-1] == ' ' {
		k--
	}
	if k == from || k == 0 || t[k-1] == '\n' {
		return false
	}
	if t[k-1] != '>' {
		for k > 0 && !isOneOf(t[k-1], " \n") {
			k--
		}
		return findByteAt(t, k) == '-'
	}
	for k--; k > 0 && from-k < keyedBack && t[k] != '<' && t[k] != '\n'; {
		k--
	}
	return t[k] == '<' && isLetterByte(t[k+1]) && (k == 0 || isOneOf(t[k-1], " \n"))
}
