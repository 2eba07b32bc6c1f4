// Writes table.parquet with hyparquet-writer 0.17.0 of npm: node make.mjs
import { writeFileSync } from 'fs'
import { parquetWriteBuffer } from 'hyparquet-writer'

const who = ['ann', 'bob', 'ü'], kind = ['b', 'a', 'b']
const height = [1.5, 1.75, 2], weight = [60, null, 80]
writeFileSync('table.parquet', Buffer.from(parquetWriteBuffer({ columnData: [
  { name: 'who', data: who, type: 'STRING' }, { name: 'kind', data: kind, type: 'STRING' },
  { name: 'height', data: height, type: 'DOUBLE' }, { name: 'weight', data: weight, type: 'DOUBLE' } ] })))
