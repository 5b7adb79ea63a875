/** `load: 56.672ms`, `long: 1.300s`, `longer: 1:02.345 (m:ss.mmm)`, `hours: 1:00:02.345 (h:mm:ss.mmm)`; Bun: `[56.67ms] load`. */
export const LINE =
  /^(?:(\S.*?): (?:(\d+(?:\.\d+)?) ?(ms|s)|(?:(\d+):)?(\d+):(\d+\.\d+) \((?:h:m)?m:ss\.mmm\))(?: - timer ended)?|\[(\d+(?:\.\d+)?)(ns|µs|ms|s)\] (\S.*?))\s*$/m
