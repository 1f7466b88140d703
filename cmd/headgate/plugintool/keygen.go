package plugintool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/plugins"
)

// defaultKey is the name of a key pair, without its extensions.
const defaultKey = "plugin-signing"

func newKeygenCommand() *cobra.Command {
	out, plain := defaultKey, false
	c := &cobra.Command{
		Use:   "keygen",
		Short: "Create a key pair for signing plugins, in minisign's format",
		Long: "Create a key pair for signing plugins: NAME.key, the secret key, and NAME.pub, whose line goes into\n" +
			"plugins.keys of the configuration. The secret key is kept under a password, asked for at the terminal or\n" +
			"taken from " + pluginPasswordVar + ". No file is ever overwritten. minisign reads both.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			for _, name := range []string{out + ".key", out + ".pub"} {
				if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("%s already exists, and keys are never overwritten; pass another name with --out", name)
				}
			}
			key, err := plugins.GenerateKey()
			if err != nil {
				return err
			}
			text := key.Plain()
			if !plain {
				password, err := askPassword(c.ErrOrStderr(), true)
				if err != nil {
					return err
				}
				if text, err = key.Seal(password); err != nil {
					return err
				}
			}
			if err := createFile(out+".key", text, 0o600); err != nil {
				return err
			}
			if err := createFile(out+".pub", key.PublicText(), 0o644); err != nil {
				return errors.Join(err, os.Remove(out+".key"))
			}
			_, err = fmt.Fprintf(
				c.OutOrStdout(),
				"%s.key is the secret key; keep it away from the gateway.\n%s.pub is the public one, for the configuration:\n\n"+
					"plugins:\n  trust: signed\n  keys: [%s]\n",
				out,
				out,
				key.Public(),
			)
			return err
		},
	}
	c.Flags().StringVar(&out, "out", out, "`name` of the pair, without its endings")
	c.Flags().BoolVar(&plain, "plain", false, "store the secret key without a password, for machines that sign unattended")
	return c
}

// createFile writes a file that does not exist yet.
func createFile(name string, text []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}
