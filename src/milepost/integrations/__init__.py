"""Milepost inside other people's loops: Keras callbacks, notebook magics. Each module names its engine; import the one you need."""
