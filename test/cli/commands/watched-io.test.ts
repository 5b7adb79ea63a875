import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watched } from '../../../src/cli/commands/watched-io.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

function terminal(isTTY: boolean) {
  const written = { stdout: '', stderr: '' }
  const output = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text
    },
    isTTY,
  })
  return { written, watched: watched({ stdout: output('stdout'), stderr: output('stderr'), env: {} }) }
}

test('after two silent seconds a terminal is told that the command works, and its next line stands alone', () => {
  const { written, watched: command } = terminal(true)
  command.saysWorking('quality')
  vi.advanceTimersByTime(1500)
  expect(written.stderr).toBe('')
  vi.advanceTimersByTime(1000)
  expect(written.stderr).toBe('\r\x1b[Kquality: working for 2 s\r\x1b[Kquality: working for 3 s')
  expect(command.isWritten()).toBe(false)
  command.io.stdout.write('test  runs\n')
  expect(command.isWritten()).toBe(true)
  expect(written.stderr.endsWith(' s\r\x1b[K')).toBe(true)
  command.end()
  vi.advanceTimersByTime(10_000)
  expect(written.stderr.endsWith(' s\r\x1b[K')).toBe(true)
})

test('a command that shows its own progress is left alone', () => {
  const { written, watched: command } = terminal(true)
  command.saysWorking('bisect')
  for (let i = 0; i < 10; i += 1) {
    vi.advanceTimersByTime(900)
    command.io.stderr.write('.')
  }
  expect(written.stderr).toBe('.'.repeat(10))
  command.end()
})

test('where stderr is no terminal nothing is said', () => {
  const { written, watched: command } = terminal(false)
  command.saysWorking('quality')
  vi.advanceTimersByTime(60_000)
  command.end()
  expect(written.stderr).toBe('')
})
