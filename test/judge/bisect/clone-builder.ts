import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A real repository in a folder of its own. */
export class Clone {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'perf-triage-clone-'))

  constructor() {
    this.git('init', '-q', '-b', 'main')
  }

  git(...args: string[]): string {
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'commit.gpgSign=false']
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
    // What git says on stderr is read where it fails.
    return execFileSync('git', [...identity, '-C', this.folder, ...args], {
      encoding: 'utf8',
      env,
      stdio: 'pipe',
    }).trim()
  }

  /** One commit with these files; its id. */
  commit(title: string, files: Readonly<Record<string, string>> = {}): string {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true })
      writeFileSync(join(this.folder, path), content)
    }
    this.git('add', '-A')
    this.git('commit', '-q', '--allow-empty', '-m', title)
    return this.git('rev-parse', 'HEAD')
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
