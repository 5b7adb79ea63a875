/**
 * Five small repositories with real benchmarks, one a language. Each sorts, hashes and joins; `sorts` of each hundred sorts are made, so that
 * 110 is a planted slowdown of 10%. `note` is compiled in and decides nothing, so that two commits differ and do the same work.
 */

export interface Variant {
  readonly sorts: number
  readonly note: number
}

export interface Language {
  /** Files by path, the variant's among them. */
  readonly files: (of: Variant) => Readonly<Record<string, string>>
  /** Options of `perf-triage measure`. */
  readonly measure: readonly string[]
  /** Builds with what an earlier run left in this folder: the dependencies, which no commit changes. */
  readonly build?: (kept: string) => string
  /** Run once in the repository after the first commit; what it makes is committed with it. */
  readonly prepare?: readonly string[]
  /** How the tool names the benchmark that sorts. */
  readonly sort: RegExp
}

const GO_BENCH = `package work

import (
	"crypto/sha256"
	"sort"
	"strings"
	"testing"
)

func BenchmarkSort(b *testing.B) {
	for b.Loop() {
		for s := 0; s < Sorts; s++ {
			list := make([]int, 200)
			for i := range list {
				list[i] = (i*7919 + s) % 1009
			}
			sort.Ints(list)
		}
	}
}

func BenchmarkHash(b *testing.B) {
	data := make([]byte, 64*1024)
	for b.Loop() {
		sha256.Sum256(data)
	}
}

func BenchmarkJoin(b *testing.B) {
	words := strings.Fields(strings.Repeat("one two three four ", 500))
	for b.Loop() {
		_ = strings.Join(words, "-")
	}
}
`

const PYTHON_BENCH = `import hashlib

from work import SORTS


def sorts():
    for s in range(SORTS):
        sorted((i * 7919 + s) % 1009 for i in range(200))


def test_sort(benchmark):
    benchmark(sorts)


def test_hash(benchmark):
    data = bytes(256 * 1024)
    benchmark(lambda: hashlib.sha256(data).digest())


def test_join(benchmark):
    words = "one two three four ".split() * 2000
    benchmark("-".join, words)
`

const TYPESCRIPT_BENCH = `import { createHash } from 'node:crypto'
import { bench } from 'vitest'
import { SORTS } from './work'

bench('sort', () => {
  for (let s = 0; s < SORTS; s += 1) Array.from({ length: 200 }, (_, i) => (i * 7919 + s) % 1009).sort((a, b) => a - b)
}, { time: 300 })

const data = new Uint8Array(256 * 1024)
bench('hash', () => void createHash('sha256').update(data).digest(), { time: 300 })

const words = Array.from({ length: 2000 }, (_, i) => 'word' + i)
bench('join', () => void words.join('-'), { time: 300 })
`

const RUST_BENCH = `use criterion::{criterion_group, criterion_main, Criterion};
use std::hint::black_box;

fn sorts(c: &mut Criterion) {
    c.bench_function("sort", |b| {
        b.iter(|| {
            for s in 0..work::SORTS {
                let mut list: Vec<u32> = (0..200).map(|i| (i * 7919 + s) % 1009).collect();
                list.sort();
                black_box(list);
            }
        })
    });
    let data = vec![7u8; 64 * 1024];
    c.bench_function("hash", |b| {
        b.iter(|| black_box(&data).iter().fold(14695981039346656037u64, |h, &x| (h ^ x as u64).wrapping_mul(1099511628211)))
    });
    let words: Vec<String> = (0..2000).map(|i| format!("word{i}")).collect();
    c.bench_function("join", |b| b.iter(|| black_box(words.join("-"))));
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(std::time::Duration::from_millis(300)).measurement_time(std::time::Duration::from_millis(700));
    targets = sorts
}
criterion_main!(benches);
`

const JAVA_BENCH = `package work;

import java.util.*;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.*;

@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 3, time = 200, timeUnit = TimeUnit.MILLISECONDS)
public class WorkBench {
  private final byte[] data = new byte[64 * 1024];
  private final List<String> words = new ArrayList<>(Collections.nCopies(2000, "word"));

  @Benchmark
  public int sort() {
    int sum = 0;
    for (int s = 0; s < Work.SORTS; s++) {
      int[] list = new int[200];
      for (int i = 0; i < list.length; i++) list[i] = (i * 7919 + s) % 1009;
      Arrays.sort(list);
      sum += list[100];
    }
    return sum;
  }

  @Benchmark
  public int hash() {
    return Arrays.hashCode(data);
  }

  @Benchmark
  public String join() {
    return String.join("-", words);
  }
}
`

const JAVA_POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>work</groupId>
  <artifactId>benchmarks</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source>
    <maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency><groupId>org.openjdk.jmh</groupId><artifactId>jmh-core</artifactId><version>1.37</version></dependency>
    <dependency><groupId>org.openjdk.jmh</groupId><artifactId>jmh-generator-annprocess</artifactId><version>1.37</version><scope>provided</scope></dependency>
  </dependencies>
  <build>
    <finalName>benchmarks</finalName>
    <plugins>
      <plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-shade-plugin</artifactId>
        <version>3.2.4</version>
        <executions><execution><phase>package</phase><goals><goal>shade</goal></goals><configuration><transformers>
          <transformer implementation="org.apache.maven.plugins.shade.resource.ManifestResourceTransformer"><mainClass>org.openjdk.jmh.Main</mainClass></transformer>
        </transformers></configuration></execution></executions>
      </plugin>
    </plugins>
  </build>
</project>
`

export const LANGUAGES: Readonly<Record<string, Language>> = {
  go: {
    files: ({ sorts, note }) => ({
      'go.mod': 'module example.com/work\n\ngo 1.24\n',
      'work.go': `package work\n\nvar Note = "note ${note}"\n\nconst Sorts = ${sorts}\n`,
      'work_test.go': GO_BENCH,
    }),
    measure: ['--go', '.'],
    sort: /Sort/,
  },
  python: {
    files: ({ sorts, note }) => ({
      'work.py': `NOTE = "note ${note}"\nSORTS = ${sorts}\n`,
      'test_work.py': PYTHON_BENCH,
      'pyproject.toml': '[tool.pytest.ini_options]\naddopts = "--benchmark-max-time=0.3"\n',
    }),
    measure: ['--pytest=-q'],
    sort: /test_sort/,
  },
  typescript: {
    files: ({ sorts, note }) => ({
      'work.ts': `export const NOTE = 'note ${note}'\nexport const SORTS = ${sorts}\n`,
      'work.bench.ts': TYPESCRIPT_BENCH,
      'package.json': '{ "private": true, "type": "module", "devDependencies": { "vitest": "3.2.4" } }\n',
      '.gitignore': 'node_modules\n',
    }),
    prepare: ['npm', 'install', '--no-audit', '--no-fund'],
    measure: ['--vitest'],
    sort: /^sort/,
  },
  rust: {
    files: ({ sorts, note }) => ({
      'Cargo.toml':
        '[package]\nname = "work"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\nbench = false\n\n[dev-dependencies]\ncriterion = { version = "0.5.1", default-features = false }\n\n[[bench]]\nname = "work"\nharness = false\n',
      'src/lib.rs': `pub const NOTE: &str = "note ${note}";\npub const SORTS: u32 = ${sorts};\n`,
      'benches/work.rs': RUST_BENCH,
      '.gitignore': 'target\n',
    }),
    prepare: ['cargo', 'generate-lockfile'],
    measure: ['--criterion'],
    // The worktree is newer than what was kept, so cargo builds the crate itself anew.
    build: (kept) =>
      `if test -d ${kept}; then cp -a ${kept} target; fi; cargo bench --no-run && { test -d ${kept} || cp -a target ${kept}; }`,
    sort: /^sort/,
  },
  java: {
    files: ({ sorts, note }) => ({
      'pom.xml': JAVA_POM,
      'src/main/java/work/Work.java': `package work;\n\nfinal class Work {\n  static final String NOTE = "note ${note}";\n  static final int SORTS = ${sorts};\n}\n`,
      'src/main/java/work/WorkBench.java': JAVA_BENCH,
      '.gitignore': 'target\n',
    }),
    measure: ['--jmh'],
    sort: /sort/,
  },
}
