import { describe, expect, test } from 'vitest'
import { commandOf, givenTool, PRESETS } from '../../../src/cli/measure/presets.ts'

describe('the command of some benchmarks', () => {
  test('replaces nothing inside their names', () => {
    const tool = givenTool('bench --to {out} {filter}', '{names}')
    expect(commandOf(tool, ['{out} $(touch x)', "it's {filter}"], '/t/out')).toBe(
      `bench --to '/t/out' '{out} $(touch x)' 'it'\\''s {filter}'`,
    )
  })

  test('of pytest names functions, and no words of its expressions', () => {
    const tool = PRESETS.pytest.of('')
    const started = `python -m pytest --benchmark-only --benchmark-max-time=0.2 --benchmark-json='o'`
    expect(commandOf(tool, ['test_a', 'test_b[1-x]', 'test_b[2]'], 'o')).toBe(`${started} -k 'test_a or test_b'`)
    expect(commandOf(tool, ['test_a', 'not test_b'], 'o')).toBe(started)
  })
})
