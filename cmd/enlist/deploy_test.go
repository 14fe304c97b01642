package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"enlist/internal/config"

	"go.yaml.in/yaml/v3"
)

// The tests in this file read the files for Kubernetes and Docker strictly: a key that the types below do not have is an
// error. The types have the fields of the Kubernetes API and of the Compose specification that the files use, with their
// spelling. The module of the Kubernetes API would add 30 modules for one file.

type metadata struct {
	Name   string
	Labels map[string]string
}

type probe struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`

	PeriodSeconds    int `yaml:"periodSeconds"`
	FailureThreshold int `yaml:"failureThreshold"`
	TimeoutSeconds   int `yaml:"timeoutSeconds"`
}

type mount struct {
	Name      string
	MountPath string `yaml:"mountPath"`
	ReadOnly  bool   `yaml:"readOnly"`
}

type container struct {
	Name, Image string
	Command     []string
	Env         []struct{ Name, Value string }
	Ports       []struct {
		Name          string
		ContainerPort int `yaml:"containerPort"`
	}
	StartupProbe    probe `yaml:"startupProbe"`
	LivenessProbe   probe `yaml:"livenessProbe"`
	ReadinessProbe  probe `yaml:"readinessProbe"`
	Resources       struct{ Requests, Limits map[string]string }
	SecurityContext struct {
		AllowPrivilegeEscalation bool `yaml:"allowPrivilegeEscalation"`
		ReadOnlyRootFilesystem   bool `yaml:"readOnlyRootFilesystem"`
		Capabilities             struct{ Drop []string }
	} `yaml:"securityContext"`
	VolumeMounts []mount `yaml:"volumeMounts"`
}

type podSpec struct {
	EnableServiceLinks            bool `yaml:"enableServiceLinks"`
	AutomountServiceAccountToken  bool `yaml:"automountServiceAccountToken"`
	TerminationGracePeriodSeconds int  `yaml:"terminationGracePeriodSeconds"`
	SecurityContext               struct {
		RunAsNonRoot   bool                  `yaml:"runAsNonRoot"`
		RunAsUser      int                   `yaml:"runAsUser"`
		RunAsGroup     int                   `yaml:"runAsGroup"`
		FSGroup        int                   `yaml:"fsGroup"`
		SeccompProfile struct{ Type string } `yaml:"seccompProfile"`
	} `yaml:"securityContext"`
	InitContainers []container `yaml:"initContainers"`
	Containers     []container
	Volumes        []struct {
		Name      string
		EmptyDir  struct{}              `yaml:"emptyDir"`
		ConfigMap struct{ Name string } `yaml:"configMap"`
		Secret    struct {
			SecretName string `yaml:"secretName"`
		}
	}
}

type object struct {
	APIVersion string `yaml:"apiVersion"`
	Kind, Type string
	Metadata   metadata
	StringData map[string]string `yaml:"stringData"`
	Data       map[string]string
	Spec       struct {
		ServiceName string `yaml:"serviceName"`
		Replicas    int
		Selector    any // a map of labels in a Service, and one more level in a StatefulSet
		Ports       []struct {
			Name       string
			Port       int
			TargetPort string `yaml:"targetPort"`
		}
		Template struct {
			Metadata metadata
			Spec     podSpec
		}
		VolumeClaimTemplates []struct {
			Metadata metadata
			Spec     struct {
				AccessModes []string `yaml:"accessModes"`
				Resources   struct{ Requests map[string]string }
			}
		} `yaml:"volumeClaimTemplates"`
	}
}

// readYAML reads the documents of a file strictly.
func readYAML[T any](t *testing.T, path string) (all []T) {
	t.Helper()
	d := yaml.NewDecoder(bytes.NewReader(must(os.ReadFile(path))(t)))
	d.KnownFields(true)
	for {
		var one T
		err := d.Decode(&one)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all = append(all, one)
	}
}

// The objects of Kubernetes fit together: volumes, ports and probes exist, metrics have no Service, SQLite has one replica,
// and the file with the settings is accepted.
func TestKubernetesFileIsValid(t *testing.T) {
	byKind := make(map[string]object)
	for _, o := range readYAML[object](t, "../../deploy/kubernetes.yaml") {
		byKind[o.Kind] = o
	}
	set := byKind["StatefulSet"]
	pod := set.Spec.Template.Spec
	c := pod.Containers[0]
	if set.Spec.Replicas != 1 || set.APIVersion != "apps/v1" || pod.EnableServiceLinks || !c.SecurityContext.ReadOnlyRootFilesystem {
		t.Errorf("the StatefulSet is %+v", set)
	}
	volumes := []string{set.Spec.VolumeClaimTemplates[0].Metadata.Name}
	for _, v := range pod.Volumes {
		volumes = append(volumes, v.Name)
	}
	for _, m := range slices.Concat(c.VolumeMounts, pod.InitContainers[0].VolumeMounts) {
		if !slices.Contains(volumes, m.Name) {
			t.Errorf("there is no volume %s", m.Name)
		}
	}
	for _, p := range []probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
		if p.HTTPGet.Port != "http" || p.HTTPGet.Path != "/healthz" && p.HTTPGet.Path != "/readyz" {
			t.Errorf("a probe asks %+v", p.HTTPGet)
		}
	}
	if ports := byKind["Service"].Spec.Ports; len(ports) != 1 || ports[0].TargetPort != c.Ports[0].Name {
		t.Errorf("the Service has the ports %+v", ports)
	}
	file := filepath.Join(t.TempDir(), "enlist.toml")
	declared := strings.ReplaceAll(byKind["ConfigMap"].Data["enlist.toml"], pod.InitContainers[0].Command[2], t.TempDir())
	must(0, os.WriteFile(file, []byte(declared), 0o600))(t)
	env := make(map[string]string)
	for _, v := range c.Env {
		env[v.Name] = v.Value
	}
	secret := filepath.Join(t.TempDir(), "smtp")
	must(0, os.WriteFile(secret, []byte(byKind["Secret"].StringData["smtp"]+"\n"), 0o600))(t)
	env["ENLIST_CONFIG"], env["ENLIST_SMTP_FILE"] = file, secret
	if status, _, failed := enlistCommand(env, "settings", "check"); status != 0 {
		t.Errorf("enlist settings check ends with %d: %s", status, failed)
	}
}

// The file for Docker opens no port but those of the proxy, and its variables are accepted.
func TestComposeFileIsValid(t *testing.T) {
	type service struct {
		Image, Command, Restart         string
		Build                           struct{ Context, Dockerfile string }
		Ports, Volumes, Tmpfs, Networks []string
		ReadOnly                        bool     `yaml:"read_only"`
		CapDrop                         []string `yaml:"cap_drop"`
		SecurityOpt                     []string `yaml:"security_opt"`
		MemLimit                        string   `yaml:"mem_limit"`
		Environment                     map[string]string
		Configs                         []struct{ Source, Target string }
	}
	all := readYAML[struct {
		Services map[string]service
		Configs  map[string]struct{ Content string }
		Networks map[string]struct {
			IPAM struct{ Config []struct{ Subnet string } }
		}
		Volumes map[string]struct{}
	}](t, "../../deploy/compose.yaml")[0]
	for name, s := range all.Services {
		if (s.Ports != nil) != (name == "proxy") {
			t.Errorf("the service %s opens the ports %v", name, s.Ports)
		}
		for _, v := range s.Volumes {
			volume, _, _ := strings.Cut(v, ":")
			if _, found := all.Volumes[volume]; !found {
				t.Errorf("there is no volume %s", volume)
			}
		}
	}
	env := all.Services["enlist"].Environment
	env["ENLIST_PUBLIC_URL"] = "https://lists.example.com"
	if !slices.Contains(all.Services["enlist"].Volumes, "backups:"+env["ENLIST_BACKUP_DIR"]) {
		t.Errorf("the folder of backups %s is no volume", env["ENLIST_BACKUP_DIR"])
	}
	env["ENLIST_BACKUP_DIR"] = t.TempDir()
	if env["ENLIST_TRUSTED_PROXY"] != all.Networks["inner"].IPAM.Config[0].Subnet {
		t.Errorf("the trusted proxy is %s", env["ENLIST_TRUSTED_PROXY"])
	}
	if status, _, failed := enlistCommand(env, "settings", "check"); status != 0 {
		t.Errorf("enlist settings check ends with %d: %s", status, failed)
	}
}

// A public URL of the reader's own machine is recognised.
func TestLinksToTheReadersOwnMachineAreRecognised(t *testing.T) {
	for url, want := range map[string]bool{"": true, "http://localhost:8080": true, "https://127.0.0.1": true, "http://[::1]:80": true,
		"http://0.0.0.0": true, "https://lists.example.com": false, "http://192.0.2.7": false} {
		if got := (config.Serve{PublicURL: url}).LinksToItself(); got != want {
			t.Errorf("%q: %v, want %v", url, got, want)
		}
	}
}
