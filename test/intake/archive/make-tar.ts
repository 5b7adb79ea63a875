/** One entry of a tar. `type` is the flag of the header: `0` a file, `1` and `2` links, `5` a folder. */
export interface TarSpec {
  readonly name: string
  readonly data?: Buffer | string
  readonly type?: string
  readonly link?: string
  /** What the header says its size is. */
  readonly declaredSize?: number
}

/** A tar made byte by byte (POSIX ustar). */
export function makeTar(specs: readonly TarSpec[]): Buffer {
  const blocks = specs.map((spec) => {
    const data = Buffer.from(spec.data ?? '')
    const header = Buffer.alloc(512)
    const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0') + '\0'
    header.write(spec.name, 0, 100)
    header.write(octal(0o644, 7), 100)
    header.write(octal(0, 7), 108)
    header.write(octal(0, 7), 116)
    header.write(octal(spec.declaredSize ?? data.length, 11), 124)
    header.write(octal(0, 11), 136)
    header.write('        ', 148)
    header.write(spec.type ?? '0', 156)
    header.write(spec.link ?? '', 157, 100)
    header.write('ustar\x0000', 257)
    header.write(
      octal(
        header.reduce((sum, byte) => sum + byte, 0),
        6,
      ) + ' ',
      148,
    )
    return Buffer.concat([header, data, Buffer.alloc((512 - (data.length % 512)) % 512)])
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}
