package backup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// This file has the names of scheduled backups, and chooses which of them to remove.

// Keep says how long scheduled backups are kept: for each unit, the newest backup of each of the last periods that have
// one.
type Keep map[byte]int // number of periods, by unit: d for days, w for weeks, m for months

var errKeep = errors.New(`expected numbers of days, weeks and months, such as "7d,4w,12m"`)

// ParseKeep reads a text such as "7d,4w".
func ParseKeep(text string) (Keep, error) {
	k := make(Keep)
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if len(part) < 2 || !strings.Contains("dwm", part[len(part)-1:]) || k[part[len(part)-1]] != 0 {
			return nil, errKeep
		}
		n, err := strconv.ParseUint(part[:len(part)-1], 10, 16)
		if err != nil || n == 0 {
			return nil, errKeep
		}
		k[part[len(part)-1]] = int(n)
	}
	return k, nil
}

// period returns the name of the period of a unit in which a time is, in UTC.
func period(unit byte, at time.Time) string {
	switch unit {
	case 'w':
		year, week := at.ISOWeek()
		return fmt.Sprint(year, " ", week)
	case 'm':
		return at.Format("2006-01")
	}
	return at.Format(time.DateOnly)
}

// youngest is the age below which every backup is kept.
const youngest = 24 * time.Hour

// nameTime is the layout of the name of a scheduled backup. An encrypted one has ".age" at its end.
const nameTime = "enlist-20060102T150405Z.db"

// timeOf returns the time in the name of a scheduled backup. ok is false for the name of another file.
func timeOf(name string) (at time.Time, ok bool) {
	at, err := time.Parse(nameTime, strings.TrimSuffix(name, ".age"))
	return at, err == nil
}

// remove returns which of the files may be removed. It keeps the newest, those of the last 24 hours, and files with
// other names.
func (k Keep) remove(files []string, now time.Time) (removed []string) {
	kept := slices.DeleteFunc(slices.Clone(files), func(name string) bool { _, ok := timeOf(name); return !ok })
	slices.SortFunc(kept, func(a, b string) int { return strings.Compare(b, a) }) // the newest first
	seen := make(map[byte]map[string]bool)
	for i, name := range kept {
		at, _ := timeOf(name)
		keep := i == 0 || now.Sub(at) < youngest
		for unit, n := range k {
			if seen[unit] == nil {
				seen[unit] = make(map[string]bool)
			}
			if p := period(unit, at); !seen[unit][p] && len(seen[unit]) < n {
				seen[unit][p] = true
				keep = true
			}
		}
		if !keep {
			removed = append(removed, name)
		}
	}
	return removed
}

// rotate removes old backups from a folder.
func (k Keep) rotate(dir string, now time.Time) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	for _, name := range k.remove(names, now) {
		err = errors.Join(err, os.Remove(filepath.Join(dir, name)))
	}
	return err
}

// abandoned is the age from which an incomplete file belongs to no running process: a backup writes to its file all the
// time, and a scheduled one has a lease of an hour.
const abandoned = 2 * time.Hour

// removeAbandoned removes the files of killed processes from a folder. It runs before a backup, because such a file may
// take the room that the backup needs. isMine reports whether a file is an incomplete backup.
func removeAbandoned(dir string, now time.Time, isMine func(name string) bool) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, infoErr := e.Info()
		if infoErr == nil && isMine(e.Name()) && now.Sub(info.ModTime()) > abandoned {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// isTemp reports whether a file is an incomplete scheduled backup.
func isTemp(name string) bool {
	of, _, ok := strings.Cut(name, strings.TrimSuffix(tempPattern, "*"))
	if !ok {
		return false
	}
	_, ok = timeOf(strings.TrimPrefix(of, "."))
	return ok
}
