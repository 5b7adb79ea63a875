/** Milliseconds that this thread has computed so far: a limit of them holds whatever else the machine does. */
export function computed(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
