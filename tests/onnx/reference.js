// SPDX-License-Identifier: Apache-2.0
// Runs an ONNX model by onnxruntime-node and writes its input and outputs as files of NumPy.
//
//     node reference.js MODEL DIRECTORY DIM [DIM...]
//
// The model has one float input; the DIMs are its shape.  Elements are those of a fixed sequence from -1 to 1; with the
// variable STROKES they are dark strokes on a light ground with a little noise, which detectors of text answer to.
// The package onnxruntime-node is found from the working directory.
const fs = require('fs')
const path = require('path')
const { createRequire } = require('module')
const runtime = createRequire(path.join(process.cwd(), 'package.json'))('onnxruntime-node')

function writeNpy(file, dims, values) {
    const start = `{'descr': '<f4', 'fortran_order': False, 'shape': (${dims.map(dim => dim + ',').join('')}), }`
    const header = Buffer.from(start.padEnd(Math.ceil((start.length + 11) / 64) * 64 - 11) + '\n', 'latin1')
    const magic = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length & 255, header.length >> 8])
    fs.writeFileSync(file, Buffer.concat([magic, header, Buffer.from(Float32Array.from(values).buffer)]))
}

async function main([model, directory, ...words]) {
    const dims = words.map(Number)
    const values = new Float32Array(dims.reduce((a, b) => a * b, 1))
    let state = 12345
    for (let i = 0; i < values.length; ++i) {
        state = (Math.imul(state, 1103515245) + 12345) >>> 0
        const noise = (state >>> 8) / 8388608 - 1
        const column = i % dims[dims.length - 1], row = Math.floor(i / dims[dims.length - 1]) % dims[dims.length - 2]
        const stroke = row % 32 > 8 && row % 32 < 24 && column > 8 && (column % 12 < 3 || row % 32 % 7 < 2)
        values[i] = process.env.STROKES ? (stroke ? -1.5 : 1.5) + 0.2 * noise : noise
    }
    const session = await runtime.InferenceSession.create(model)
    const results = await session.run({ [session.inputNames[0]]: new runtime.Tensor('float32', values, dims) })
    fs.mkdirSync(directory, { recursive: true })
    writeNpy(path.join(directory, 'input.npy'), dims, values)
    session.outputNames.forEach((name, i) => writeNpy(path.join(directory, `output_${i}.npy`), results[name].dims, results[name].data))
}

main(process.argv.slice(2))
