// Writes table.parquet with hyparquet-writer 0.17.0 of npm, table.arrow and table.arrows with
// apache-arrow 21.2.0: node make.mjs
import { writeFileSync } from 'fs'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { tableToIPC, vectorFromArray, Utf8, Float64, Table } from 'apache-arrow'

const who = ['ann', 'bob', 'ü'], kind = ['b', 'a', 'b']
const height = [1.5, 1.75, 2], weight = [60, null, 80]
writeFileSync('table.parquet', Buffer.from(parquetWriteBuffer({ columnData: [
  { name: 'who', data: who, type: 'STRING' }, { name: 'kind', data: kind, type: 'STRING' },
  { name: 'height', data: height, type: 'DOUBLE' }, { name: 'weight', data: weight, type: 'DOUBLE' } ] })))

const table = new Table({ who: vectorFromArray(who, new Utf8), kind: vectorFromArray(kind), // a dictionary
  height: vectorFromArray(height, new Float64), weight: vectorFromArray(weight, new Float64) })
writeFileSync('table.arrow', tableToIPC(table, 'file'))
writeFileSync('table.arrows', tableToIPC(table, 'stream'))
