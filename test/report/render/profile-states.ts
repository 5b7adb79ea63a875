import { TRACE_UNITS, type TraceType } from '../../../src/intake/measurement/trace-type.ts'
import { pullRequestWindow } from '../../../src/judge/bisect/bisect-window.ts'
import { StackTree } from '../../../src/judge/profile/stack-tree.ts'
import { profileWords } from '../../../src/judge/profile/words.ts'
import type { Evidence, OffPath, OnPath } from '../../../src/judge/verdict/evidence/evidence.ts'
import type { RowProfile } from '../../../src/report/report.ts'
import { HOSTILE } from './hostile.ts'
import { changed, quiet, report, row, shards } from './report-builder.ts'
import type { State } from './states.ts'
import { windowCommit } from './window-states.ts'

/** Stacks of an aggregation, as ClickHouse's profiles name the frames; old and new counts. */
const AGGREGATION: readonly (readonly [string, number, number])[] = [
  [
    'start_thread;ThreadPoolImpl<std::__1::thread>::worker;DB::PipelineExecutor::executeStepImpl(unsigned long);DB::AggregatingTransform::work();DB::Aggregator::executeOnBlock(DB::Columns, unsigned long, unsigned long);void DB::Aggregator::executeImpl<DB::AggregationMethodKeysFixed<TwoLevelHashMapTable<wide::integer<256ul, unsigned int>, HashMapCell<char*>>>>(unsigned long, unsigned long, DB::Arena*) const',
    310,
    560,
  ],
  [
    'start_thread;ThreadPoolImpl<std::__1::thread>::worker;DB::PipelineExecutor::executeStepImpl(unsigned long);DB::AggregatingTransform::work();DB::Aggregator::executeOnBlock(DB::Columns, unsigned long, unsigned long);DB::Arena::alloc(unsigned long)',
    60,
    60,
  ],
  [
    'start_thread;ThreadPoolImpl<std::__1::thread>::worker;DB::PipelineExecutor::executeStepImpl(unsigned long);DB::MergeTreeReaderWide::readRows(unsigned long);LZ4::(anonymous namespace)::decompressImpl<16ul, true>(char const*, char*, unsigned long)',
    520,
    530,
  ],
  ['start_thread;ThreadPoolImpl<std::__1::thread>::worker;DB::SourceFromChunks::generate()', 110, 120],
]

function profileOf(
  stacks: readonly (readonly [string, number, number])[],
  more: Partial<RowProfile> = {},
  traceType: TraceType = 'CPU',
): RowProfile {
  const tree = new StackTree()
  for (const [stack, old, fresh] of stacks) {
    if (old > 0) tree.add(stack, 'old', old)
    if (fresh > 0) tree.add(stack, 'new', fresh)
  }
  const words = profileWords(tree.finish(), TRACE_UNITS[traceType])
  return { architecture: null, traceType, traceTypes: [traceType], words, ...more }
}

const ON_PATH: OnPath = {
  kind: 'on-path',
  architecture: null,
  functions: [
    { name: 'DB::Aggregator::executeImpl', file: 'src/Interpreters/Aggregator.cpp', oldShare: 0.31, newShare: 0.441 },
    {
      name: 'DB::Aggregator::executeOnBlock',
      file: 'src/Interpreters/Aggregator.cpp',
      oldShare: 0.37,
      newShare: 0.488,
    },
  ],
}
const OFF_PATH: OffPath = { kind: 'off-path', architecture: null, grown: 3, changed: 5 }

const withProfile = (profile: RowProfile, evidence: readonly Evidence[] = [], more = {}) =>
  row('group_by_fixed_keys', 3, [changed(0.6391, 0.7588)], { profile, evidence, ...more })

const few = AGGREGATION.map(([stack, old, fresh]) => [stack, Math.round(old / 20), Math.round(fresh / 20)] as const)

const hostileStacks = HOSTILE.map((name, index) => [`${name};${name}`, 100 + index * 10, 300 - index * 15] as const)

const commits = Array.from({ length: 7 }, (_, index) =>
  windowCommit(index, {
    sha: `${index + 1}c41d0e5b1f7a3c2d4e6f8091a2b3c4d5e6f7081`,
    files:
      index % 2 === 1 || index === 6 ? [`src/Interpreters/${index < 5 ? 'Aggregator' : 'Other'}.cpp`] : ['docs/a.md'],
  }),
)

export const PROFILE_STATES: Readonly<Record<string, State>> = {
  'profile-of-a-regression': { report: report([withProfile(profileOf(AGGREGATION)), ...quiet(69)]) },
  'profile-of-a-regression-with-pages': {
    report: report([withProfile(profileOf(AGGREGATION)), ...quiet(69)]),
    hasPages: true,
  },
  'profile-too-few-samples': { report: report([withProfile(profileOf(few)), ...quiet(69)]), hasPages: true },
  'profile-one-side': {
    report: report([withProfile(profileOf(AGGREGATION.map(([stack, , fresh]) => [stack, 0, fresh]))), ...quiet(69)]),
  },
  'profile-of-memory': {
    report: report([
      withProfile(
        profileOf(
          AGGREGATION.map(([stack, old, fresh]) => [stack, old * 4096, fresh * 4096]),
          {},
          'MemorySample',
        ),
      ),
      ...quiet(69),
    ]),
  },
  'profile-on-path': {
    report: report([withProfile(profileOf(AGGREGATION), [ON_PATH]), ...quiet(69)], {
      pullRequestWindow: pullRequestWindow(commits, ['src/Interpreters/Aggregator.cpp']),
    }),
    hasPages: true,
  },
  'profile-on-path-by-file': {
    report: report([
      withProfile(profileOf(AGGREGATION), [
        { ...ON_PATH, functions: ON_PATH.functions.slice(0, 1).map((one) => ({ ...one, onlyFile: true })) },
      ]),
      ...quiet(69),
    ]),
  },
  'profile-off-path': {
    report: report([
      row('group_by_fixed_keys', 3, [changed(0.6391, 0.7588, { separated: false })], {
        profile: profileOf(AGGREGATION),
        evidence: [OFF_PATH],
        verdict: 'needs-rerun',
      }),
      ...quiet(69),
    ]),
  },
  'profile-hostile-names': {
    report: report(
      [
        withProfile(profileOf(hostileStacks), [
          { ...ON_PATH, functions: HOSTILE.map((name) => ({ name, file: name, oldShare: 0.1, newShare: 0.3 })) },
        ]),
        withProfile(profileOf(hostileStacks), [], { test: HOSTILE[0]! }),
        ...quiet(69),
      ],
      {
        pullRequestWindow: pullRequestWindow(
          HOSTILE.map((name) => windowCommit(1, { sha: name, title: name, files: null })),
          [],
        ),
      },
    ),
    hasPages: true,
  },
  'profiles-of-many': {
    report: report(
      [
        ...Array.from({ length: 8 }, (_, index) =>
          row(
            `group_by_${index}`,
            0,
            [
              changed(0.5, 0.9 - index / 100, { architecture: 'arm' }),
              changed(0.4, 0.41, { architecture: 'amd', outcome: 'not-significant', threshold: 0.04 }),
            ],
            {
              profile: profileOf(AGGREGATION, { architecture: 'arm' }),
            },
          ),
        ),
        ...quiet(20),
      ],
      {
        architectures: ['arm', 'amd'],
        shards: shards(2),
        pullRequestWindow: pullRequestWindow(commits.slice(1, 4), null),
      },
    ),
    hasPages: true,
  },
}
