package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/records/vault"
	"github.com/headgate-dev/headgate/plugins/webhook"
)

// maxSealed limits what is read from standard input, in bytes.
const maxSealed = 4096

func newWebhookSealCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "seal",
		Short: "Read a webhook's secret from standard input and print it sealed, for secret_sealed:",
		Long: "Read a webhook's secret from standard input, and print it sealed under the master password in\n" +
			node.PasswordVar + ", for secret_sealed: in the configuration.",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			b, err := io.ReadAll(io.LimitReader(c.InOrStdin(), maxSealed+1))
			secret := strings.TrimRight(string(b), "\r\n")
			switch {
			case err != nil:
				return fmt.Errorf("standard input: %w", err)
			case len(b) > maxSealed:
				return fmt.Errorf("the secret is longer than %d bytes", maxSealed)
			case len(secret) < webhook.MinSecret:
				return errors.New("the secret has fewer than 16 characters; pipe in a random one: openssl rand -hex 32 | headgate webhook seal")
			}
			sealed, err := vault.Seal(os.Getenv(node.PasswordVar), node.SealPurpose, secret)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), sealed)
			return err
		},
	}
}
