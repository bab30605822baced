package webdoc

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// ticksPerSecond is USER_HZ, which is 100 wherever Linux runs.
const ticksPerSecond = 100

// usage reads /proc/PID/stat: its fields 14, 15 and 24 are utime, stime and rss. It is zero
// if the process has ended.
func (c *child) usage() usage {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.process.Process.Pid))
	if err != nil {
		return usage{}
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // from the third on
	if len(fields) < 22 {
		return usage{}
	}
	number := func(n int) int64 {
		v, _ := strconv.ParseInt(string(fields[n-3]), 10, 64)
		return v
	}
	return usage{number(24) * int64(os.Getpagesize()), time.Duration(number(14)+number(15)) * time.Second / ticksPerSecond}
}
