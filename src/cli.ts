export async function main(argv: string[]): Promise<number> {
  console.log(process.version, argv)
  return 0
}
