package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// readNewPassword reads a new password: from the terminal twice, or the first line of standard input. It is never an
// argument, which everyone who lists processes can see.
func readNewPassword(c *cobra.Command) (string, error) {
	if f, ok := c.InOrStdin().(*os.File); ok && term.IsTerminal(int(f.Fd())) { // a file descriptor is small
		return readTyped(c.ErrOrStderr(), int(f.Fd())) // as above
	}
	line, err := bufio.NewReader(io.LimitReader(c.InOrStdin(), 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return "", errors.New("no password was given: write one line to standard input, or run the command in a terminal")
	}
	return line, nil
}

func readTyped(w io.Writer, fd int) (string, error) {
	var got [2]string
	for i, prompt := range []string{"New password: ", "Once more: "} {
		_, _ = fmt.Fprint(w, prompt) // the answer is read regardless
		b, err := term.ReadPassword(fd)
		_, _ = fmt.Fprintln(w) // as above
		if err != nil {
			return "", fmt.Errorf("read the password: %w", err)
		}
		got[i] = string(b)
	}
	if got[0] != got[1] {
		return "", errors.New("the two passwords differ")
	}
	return got[0], nil
}
