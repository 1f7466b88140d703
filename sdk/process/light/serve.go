package light

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
)

// maxMessage is the longest message that either side may send, in bytes.
const maxMessage = 16 << 20

// Serve runs the plugin until the gateway ends it. It does not return.
func Serve(p Plugin) {
	if err := serve(p); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func serve(p Plugin) error {
	if os.Getenv("HEADGATE_PLUGIN") != "process" {
		return errors.New("this is a plugin of Headgate, which starts it: see process: in its configuration")
	}
	path := filepath.Join(os.Getenv("PLUGIN_UNIX_SOCKET_DIR"), "plugin.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if err = os.Chmod(path, 0o600); err != nil {
		return fmt.Errorf("protect the socket: %w", err)
	}
	var protocols http.Protocols
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	s := &http.Server{Handler: &handler{plugin: p}, Protocols: &protocols}
	own := ""
	if client := os.Getenv("PLUGIN_CLIENT_CERT"); client != "" {
		certificate, err := makeCertificate()
		if err != nil {
			return err
		}
		block, _ := pem.Decode([]byte(client))
		if block == nil {
			return errors.New("PLUGIN_CLIENT_CERT holds no certificate")
		}
		s.TLSConfig = &tls.Config{
			MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2"},
			ClientAuth: tls.RequireAnyClientCert,
			VerifyPeerCertificate: func(raw [][]byte, _ [][]*x509.Certificate) error { // the gateway's, made for this run
				if len(raw) == 0 || !bytes.Equal(raw[0], block.Bytes) {
					return errors.New("the caller is not the gateway")
				}
				return nil
			},
		}
		own = base64.RawStdEncoding.EncodeToString(certificate.Certificate[0])
	}
	fmt.Printf("1|1|unix|%s|grpc|%s\n", path, own)
	if s.TLSConfig != nil {
		return s.ServeTLS(l, "", "")
	}
	return s.Serve(l)
}
