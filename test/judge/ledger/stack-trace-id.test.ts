import { describe, expect, test } from 'vitest'
import { isClickHouseFrame, stackTraceIdOf, statedStackTraceId } from '../../../src/judge/ledger/stack-trace-id.ts'

const idOf = (text: string, isCut = false) => stackTraceIdOf(text.split('\n'), isCut)

const PUBLISHED = [
  'DB::writeVarUInt',
  'DB::BlockInfo::write',
  'DB::NativeWriter::write',
  'DB::Aggregator::writeToTemporaryFileImpl',
  'DB::Aggregator::writeToTemporaryFile',
]

/** In the words of the server: a number, the place, the function with its arguments, the address. */
const numbered = (functions: readonly string[], first = 0) =>
  functions.map(
    (name, index) =>
      `${first + index}. ./src/A.cpp:${index + 10}: ${name}(int, String const&) @ 0x00000000${index}c544c39`,
  )

describe('statedStackTraceId', () => {
  test.each([
    ["Logical error: 'Unexpected exception in refresh scheduling' (STID: 2508-3e7b)", '2508-3e7b'],
    ['future_error "promise has been destructed" (STID 2508-38c6)', '2508-38c6'],
    ['Segmentation fault (STID: 1486-3AB1)', '1486-3ab1'],
    ['Segmentation fault (STID: None)', null],
    ['02508-3e7b_a_test', null],
    ['(STID: 2508-3e7b1)', null],
    ['', null],
  ])('%s', (name, id) => {
    expect(statedStackTraceId(name)).toBe(id)
  })
})

describe('stackTraceIdOf', () => {
  test('gives the id that ClickHouse published for these functions (pull request 90984)', () => {
    expect(idOf(numbered(PUBLISHED).join('\n'))).toBe('1486-3231')
  })

  test('a failed assertion begins with 2508, as the names of such failures do', () => {
    const trace = numbered(['DB::abortOnFailedAssertion', 'DB::RefreshTask::doScheduling'])
    expect(idOf(trace.join('\n'))).toMatch(/^2508-/)
    expect(idOf(numbered(['DB::PipelineExecutor::finalizeExecution']).join('\n'))).toMatch(/^3833-/)
  })

  test('only the five topmost count', () => {
    expect(idOf(numbered([...PUBLISHED, 'DB::TCPHandler::run']).join('\n'))).toBe('1486-3231')
  })

  test('what throws the exception is left out, with what stands above it', () => {
    const trace = numbered([
      'StackTrace::StackTrace',
      'DB::abortOnFailedAssertion',
      'DB::handle_error_code',
      'DB::Exception::Exception',
      'DB::Exception::Exception<String>',
      ...PUBLISHED,
    ])
    expect(idOf(trace.join('\n'))).toBe('1486-3231')
    expect(idOf(numbered(['DB::Exception::Exception']).join('\n'))).toBeNull()
  })

  test.each([
    [
      'the daemon of the server',
      (name: string, at: number) =>
        `2024.08.05 15:30:32.864291 [ 11 ] {} <Fatal> BaseDaemon: ${at}. ./build/./src/A.cpp:12: ${name}(int) @ 0x0000000022f42181 in /usr/bin/clickhouse`,
    ],
    [
      'the daemon, inlined',
      (name: string, at: number) =>
        `[ 11 ] {} <Fatal> BaseDaemon: ${at}.1. inlined from ./src/A.cpp:65: ${name}(String const&)`,
    ],
    [
      'a sanitizer',
      (name: string, at: number) => `    #${at} 0x55d0c8e3f1a2 in ${name}<int>(DB::Block const&) /build/src/A.cpp:12:3`,
    ],
    [
      'the thread sanitizer',
      (name: string, at: number) => `    #${at} ${name}(int) build/src/A.cpp:12:3 (clickhouse+0x1a2b3c)`,
    ],
    [
      'a report without numbers',
      (name: string) => `src/A.cpp:12: ${name}(std::vector<int, DB::Allocator> const&) @ 0x000000002ed4a4e1`,
    ],
    ['a report without places', (name: string, at: number) => `${at}. ${name}(int) @ 0x10714169`],
  ])('reads the frames of %s', (_who, frame) => {
    const lines = [...PUBLISHED, 'DB::f', 'std::g'].map(frame)
    expect(lines.every(isClickHouseFrame)).toBe(true)
    expect(idOf(['Error:', 'a message', ...lines, '', 'the rest'].join('\n'))).toBe('1486-3231')
  })

  test('frames of other namespaces are passed over, the first trace with one of ClickHouse counts', () => {
    const foreign = ['0. Poco::ThreadImpl::run(void*) @ 0x1', '1. start_thread @ 0x2', '']
    expect(idOf([...foreign, ...numbered(PUBLISHED), '', ...numbered(['DB::other'])].join('\n'))).toBe('1486-3231')
    expect(idOf([...numbered(PUBLISHED), ...numbered(['DB::other'])].join('\n'))).toBe('1486-3231')
    expect(idOf(foreign.join('\n'))).toBeNull()
  })

  test('a message is no frame', () => {
    const message =
      'Code: 159. DB::Exception: Received from localhost:9000. DB::Exception: Timeout exceeded. (TIMEOUT_EXCEEDED)'
    expect(isClickHouseFrame(message)).toBe(false)
    expect(idOf(message)).toBeNull()
    expect(isClickHouseFrame('3. Check that DB::x works')).toBe(false)
  })

  test('a trace that was cut counts only where its five functions are there', () => {
    expect(idOf(numbered(PUBLISHED).join('\n'), true)).toBe('1486-3231')
    expect(idOf(numbered(PUBLISHED.slice(0, 4)).join('\n'), true)).toBeNull()
    expect(idOf(numbered(PUBLISHED.slice(0, 4)).join('\n'), false)).not.toBeNull()
  })

  test('arguments, addresses and lines of the source make no difference', () => {
    const one = numbered(PUBLISHED).join('\n')
    const other = one
      .replaceAll('int, String const&', 'DB::Block&, DB::Context')
      .replaceAll('0x0000', '0xffff')
      .replaceAll('A.cpp:1', 'A.cpp:77')
    expect(other).not.toBe(one)
    expect(idOf(other)).toBe(idOf(one))
  })
})
