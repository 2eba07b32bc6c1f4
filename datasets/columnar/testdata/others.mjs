// Writes duck.parquet with @duckdb/node-api 1.5.6 of npm, and polars.arrow with nodejs-polars 0.18.0: node others.mjs
import pl from 'nodejs-polars'
import { DuckDBInstance } from '@duckdb/node-api'

pl.DataFrame({ who: ['ann', 'bob', 'a rather long name'], kind: ['b', 'a', 'b'], height: [1.5, 1.75, 2], weight: [60, null, 80] })
  .writeIPC('polars.arrow', { compression: 'zstd' })
const c = await (await DuckDBInstance.create(':memory:')).connect()
await c.run(`copy (select * from (values ('ann', 'b', 1.5::decimal(9,2), 60::decimal(30,2)), ('bob', 'a', 1.75, null), ('a rather long name', 'b', 2, 80))
  t(who, kind, height, weight)) to 'duck.parquet' (format parquet)`)
