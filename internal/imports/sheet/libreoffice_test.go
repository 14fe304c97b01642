package sheet

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// LibreOffice writes the workbook of a CSV file, and its rows are read.
//
// covers: decision 66
func TestWorkbookOfLibreOffice(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("soffice")
	if err != nil || testing.Short() {
		t.Skip("soffice is missing, or its seconds are too long for the short tests")
	}
	folder := t.TempDir()
	csv := filepath.Join(folder, "people.csv")
	check(t, os.WriteFile(csv, []byte("Email,First Name,Score\nann@example.com,Zoë,1.5\n,Bob,\n"), 0o600))
	out, err := exec.Command(program, "-env:UserInstallation=file://"+folder+"/profile", "--headless", "--infilter=CSV:44,34,76",
		"--convert-to", "xlsx", "--outdir", folder, csv).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file, err := os.ReadFile(filepath.Join(folder, "people.xlsx"))
	check(t, err)
	checkShown(t, string(file), Options{}, "Email | First Name | Score", `1: "ann@example.com" "Zoë" "1.5"`, `2: "" "Bob" ""`)
}
