package plugintool

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// pluginPasswordVar names the variable with the password of the key that signs plugins, for use without a terminal. An
// argument would be visible to everyone who lists processes.
const pluginPasswordVar = "HEADGATE_PLUGIN_PASSWORD"

// askPassword returns the password of a secret key: from the variable, or from the terminal, where a new one is entered
// twice.
func askPassword(w io.Writer, fresh bool) (string, error) {
	if text, ok := os.LookupEnv(pluginPasswordVar); ok {
		if text == "" {
			return "", fmt.Errorf("%s is empty; set it to the password, or unset it to be asked", pluginPasswordVar)
		}
		return text, nil
	}
	fd := int(os.Stdin.Fd()) // a file descriptor is small
	if !term.IsTerminal(fd) {
		return "", fmt.Errorf("the key has a password, and there is no terminal to enter it; set %s", pluginPasswordVar)
	}
	read := func(prompt string) (string, error) {
		_, _ = fmt.Fprint(w, prompt) // the answer is read regardless
		b, err := term.ReadPassword(fd)
		_, _ = fmt.Fprintln(w) // as above
		if err != nil {
			return "", fmt.Errorf("read the password: %w", err)
		}
		return string(b), nil
	}
	password, err := read("Password of the key: ")
	if err != nil || !fresh {
		return password, err
	}
	again, err := read("Once more: ")
	switch {
	case err != nil:
		return "", err
	case password == "":
		return "", errors.New("the password is empty; for a key without a password use --plain")
	case password != again:
		return "", errors.New("the two passwords differ")
	}
	return password, nil
}
