/**
 * Ensures that ONNX Runtime reports nothing to its maker. Otherwise it sends when networks are opened and used, the system and
 * the program, under an id that it keeps in the home folder. It reads the environment of the process when it is loaded. A
 * worker has only a copy of the environment, so the main thread imports this module too, before it starts a worker.
 */
process.env.ORT_DISABLE_TELEMETRY = '1';
