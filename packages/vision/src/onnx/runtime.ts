import './without-telemetry.ts';

/** ONNX Runtime. No other module imports its package, so that it is never loaded with telemetry. */
export { InferenceSession, Tensor } from 'onnxruntime-node';
