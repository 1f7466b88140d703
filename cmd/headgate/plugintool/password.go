package plugintool

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// pluginPasswordVar names the variable that holds the password of the key that
// signs plugins, where there is no terminal to ask at. An argument would be seen
// by everybody who lists processes.
const pluginPasswordVar = "HEADGATE_PLUGIN_PASSWORD"

// askPassword gives the password of a secret key: from the variable, or from the
// terminal, there twice when it is a new one.
func askPassword(w io.Writer, fresh bool) (string, error) {
	if text, ok := os.LookupEnv(pluginPasswordVar); ok {
		if text == "" {
			return "", fmt.Errorf("%s is empty; set it to the password, or unset it to be asked", pluginPasswordVar)
		}
		return text, nil
	}
	fd := int(os.Stdin.Fd()) // a file descriptor is small
	if !term.IsTerminal(fd) {
		return "", fmt.Errorf("the key's password is wanted, and there is no terminal to ask at; set %s", pluginPasswordVar)
	}
	read := func(prompt string) (string, error) {
		_, _ = fmt.Fprint(w, prompt) // an answer is read all the same
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
		return "", errors.New("the password is empty; for a key without one say --plain")
	case password != again:
		return "", errors.New("the two passwords differ")
	}
	return password, nil
}
