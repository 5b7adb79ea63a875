/** `Running 10s test @ http://127.0.0.1:8080/items` */
export const RUNNING = /^Running \S{1,20} test @ (\S+)\s*$/m
