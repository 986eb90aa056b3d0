/** undici's pool alone: its main entry would load its fetch, cache and mock parts (11 MB, 70 ms). */
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici'
  // oxlint-disable-next-line import/no-default-export -- it is a CommonJS module
  export default Pool
}
