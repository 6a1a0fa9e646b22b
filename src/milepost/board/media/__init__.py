"""Media: pictures, sounds, text, histograms, curves, graphs, meshes — read from the log when somebody looks."""
