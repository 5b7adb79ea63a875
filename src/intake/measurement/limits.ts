/**
 * The most that reading a source may cost. Everything from outside is hostile: a limit that is hit stops the member or
 * the source with a warning, and what was read until then is kept.
 */
export interface Limits {
  /** Files and folders looked at in one source, those inside archives included. */
  readonly entries: number
  /** Bytes of one member that is read, after decompression. */
  readonly memberBytes: number
  /** Bytes read or decompressed from the whole source, members that are only passed over in a tar included. */
  readonly totalBytes: number
  /** Bytes out of a decompressor for each byte in; counts once `ratioFrom` bytes came out. */
  readonly ratio: number
  readonly ratioFrom: number
  /**
   * Work for each byte of the source as it lies on disk, over all nesting; counts once `workFrom` was done. Its unit is a
   * byte read or decompressed; a line has some more.
   */
  readonly workRatio: number
  readonly workFrom: number
  /** Frames of one zstd stream: each costs a decoder of its own. */
  readonly frames: number
  /** Containers around a member; `logs.tar.zst` counts two: the compression and the tar. */
  readonly depth: number
  /** A zip inside another archive is held in memory to be read. */
  readonly nestedZipBytes: number
  /** Bytes of the list of members at the end of a zip, which is held in memory. */
  readonly zipDirectoryBytes: number
  /** Characters of one line. */
  readonly lineLength: number
  /** Distinct combinations of query, metric and architecture. */
  readonly measurements: number
  /** Samples of all measurements together. */
  readonly samples: number
  /** Characters of names and messages that are kept. */
  readonly text: number
  /** Queries with stacks of a profiler, each trace type and side by itself. */
  readonly profiles: number
  /** Characters of the distinct stacks of one query, trace type and side. */
  readonly profileText: number
  /** Characters of the distinct stacks of the whole source. */
  readonly stackText: number
  /** Places for values of a query's metrics: of each query those of every metric in every repetition. */
  readonly metricValues: number
  /** Characters of the names of metrics, tests and repetitions that come with them. */
  readonly metricText: number
  /** Lines and values of one member that cannot be read, each with a warning. */
  readonly faults: number
  /** Warnings that are kept one by one. */
  readonly warnings: number
}

const KiB = 1024
const MiB = 1024 * KiB
const GiB = 1024 * MiB

/**
 * A large real shard has about 700 queries in 200 raw files of 10 MB together, in an archive of some thousand files;
 * the defaults leave ten times that and more. Text of measurements compresses 5 to 30 times, deflate can reach 1,032
 * and zstd far more: beyond 200 over 64 MiB nothing honest is left. That holds for each stream, and once more for the
 * source as a whole: 6 KB that hold 60 streams of 60 MB each pass the first and not the second.
 *
 * A real profile has 100 to 500 distinct stacks of 2 to 4 thousand characters for each trace type and side, and is there
 * for the some 30 queries of a shard that looked changed, not for all 700.
 *
 * Of all metrics a large real shard has 790 queries with 230 each in 14 repetitions, 2.5 million values, each in eight bytes
 * while it is read, and a fifth more for places that stay empty; their names take half a million characters. Of what was
 * read, at most `measurements` and `samples` are kept, those of the raw files among them.
 */
export const DEFAULT_LIMITS: Limits = {
  entries: 100_000,
  memberBytes: 1 * GiB,
  totalBytes: 4 * GiB,
  ratio: 200,
  ratioFrom: 64 * MiB,
  workRatio: 200,
  workFrom: 16 * MiB,
  frames: 20_000,
  depth: 6,
  nestedZipBytes: 128 * MiB,
  zipDirectoryBytes: 64 * MiB,
  lineLength: 1 * MiB,
  measurements: 200_000,
  samples: 3_000_000,
  text: 64 * MiB,
  profiles: 20_000,
  profileText: 2 * MiB,
  stackText: 64 * MiB,
  metricValues: 16_000_000,
  metricText: 16 * MiB,
  faults: 200_000,
  warnings: 500,
}

/** How a limit is named in a message. */
const LIMIT_TEXTS: Readonly<Record<keyof Limits, string>> = {
  entries: 'files and folders in one source',
  memberBytes: 'bytes in one file after decompression',
  totalBytes: 'bytes in one source after decompression',
  ratio: 'times its compressed size',
  ratioFrom: 'bytes',
  workRatio: 'bytes to unpack and read for each byte on disk',
  workFrom: 'bytes',
  frames: 'zstd frames',
  depth: 'nested archives',
  nestedZipBytes: 'bytes in a zip inside another archive',
  zipDirectoryBytes: 'bytes in the directory of a zip',
  lineLength: 'characters in a line',
  measurements: 'distinct queries, metrics and architectures',
  samples: 'samples',
  text: 'characters of names and messages',
  profiles: 'profiles of queries',
  profileText: 'characters of stacks in one profile',
  stackText: 'characters of stacks',
  metricValues: 'values of metrics',
  metricText: 'characters of names beside metrics',
  faults: 'lines or values in one file that can’t be read',
  warnings: 'warnings',
}

/** A limit was hit. `stopsSource`: nothing more of the whole source is read; otherwise only of this member. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached'
  readonly limit: keyof Limits
  readonly stopsSource: boolean

  constructor(limit: keyof Limits, value: number, stopsSource: boolean) {
    const rest = stopsSource ? 'the rest and all files after it are skipped' : 'the rest is skipped'
    super(`more than ${value.toLocaleString('en')} ${LIMIT_TEXTS[limit]}; ${rest}`)
    this.limit = limit
    this.stopsSource = stopsSource
  }
}
