//go:build unix

package firestore_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const googleJar = "platform/cloud-firestore-emulator/cloud-firestore-emulator.jar"

// startGoogle runs Google's emulator until the test ends and returns its
// address. It skips the test where java or the jar is not installed, or fails
// it when WHATIS_GOOGLE_EMULATOR=require; off skips in any case.
func startGoogle(t *testing.T) string {
	mode := os.Getenv("WHATIS_GOOGLE_EMULATOR")
	if mode == "off" {
		t.Skip("WHATIS_GOOGLE_EMULATOR=off")
	}
	jar, err := findGoogle()
	if err != nil {
		if mode == "require" {
			t.Fatalf("WHATIS_GOOGLE_EMULATOR=require: %v", err)
		}
		t.Skipf("Google's Firestore emulator is not installed: %v", err)
	}
	addr := freeAddr(t)
	host, port, _ := net.SplitHostPort(addr)
	// The shell kills java when its input ends, which it does even when this
	// process is killed.
	cmd := exec.Command("sh", "-c", `java "$@" </dev/null & read -r line; kill $!`, "sh", "-Xmx1g", "-cp", jar,
		"com.google.cloud.datastore.emulator.firestore.CloudFirestore", "start", "--host="+host, "--port="+port)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	runUntilReady(t, cmd, "is now running")
	return addr
}

// runUntilReady starts cmd, returns when it has printed ready and kills its
// process group when the test ends.
func runUntilReady(t *testing.T, cmd *exec.Cmd, ready string) {
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
	})
	var printed strings.Builder
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		fmt.Fprintln(&printed, lines.Text())
		if strings.Contains(lines.Text(), ready) {
			go func() {
				for lines.Scan() {
				}
			}()
			return
		}
	}
	t.Fatalf("%s ended before it was ready:\n%s", cmd, &printed)
}

// findGoogle returns the emulator's jar.
func findGoogle() (string, error) {
	if _, err := exec.LookPath("java"); err != nil {
		return "", err
	}
	roots := []string{os.Getenv("CLOUDSDK_ROOT_DIR"), "/usr/lib/google-cloud-sdk"}
	if gcloud, err := exec.LookPath("gcloud"); err == nil {
		if gcloud, err = filepath.EvalSymlinks(gcloud); err == nil {
			roots = append(roots, filepath.Dir(filepath.Dir(gcloud)))
		}
	}
	for _, root := range roots {
		jar := filepath.Join(root, googleJar)
		if _, err := os.Stat(jar); root != "" && err == nil {
			return jar, nil
		}
	}
	return "", fmt.Errorf("no %s below %q", googleJar, roots)
}

func freeAddr(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
