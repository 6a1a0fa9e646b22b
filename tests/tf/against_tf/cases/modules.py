# tf.Module, as its guide uses it.

class SimpleModule(tf.Module):
    def __init__(self, name=None):
        super().__init__(name=name)
        self.a_variable = tf.Variable(5.0, name="train_me")
        self.non_trainable_variable = tf.Variable(5.0, trainable=False, name="do_not_train_me")
    def __call__(self, x):
        return self.a_variable * x + self.non_trainable_variable
m = SimpleModule(name="simple")
m(tf.constant(5.0)), m.trainable_variables, m.variables, m.name, m.non_trainable_variables

class Dense(tf.Module):
    def __init__(self, in_features, out_features, name=None):
        super().__init__(name=name)
        self.w = tf.Variable(tf.ones([in_features, out_features]), name='w')
        self.b = tf.Variable(tf.zeros([out_features]), name='b')
    def __call__(self, x):
        y = tf.matmul(x, self.w) + self.b
        return tf.nn.relu(y)
class SequentialModule(tf.Module):
    def __init__(self, name=None):
        super().__init__(name=name)
        self.dense_1 = Dense(in_features=3, out_features=3)
        self.dense_2 = Dense(in_features=3, out_features=2)
    def __call__(self, x):
        return self.dense_2(self.dense_1(x))
m = SequentialModule(name="the_model")
m(tf.constant([[2.0, 2.0, 2.0]])), [s.name for s in m.submodules], [v.name for v in m.variables], len(m.trainable_variables)

class FlexibleDense(tf.Module):
    def __init__(self, out_features, name=None):
        super().__init__(name=name)
        self.is_built = False
        self.out_features = out_features
    def __call__(self, x):
        if not self.is_built:
            self.w = tf.Variable(tf.ones([x.shape[-1], self.out_features]), name='w')
            self.b = tf.Variable(tf.zeros([self.out_features]), name='b')
            self.is_built = True
        return tf.nn.relu(tf.matmul(x, self.w) + self.b)
m = FlexibleDense(2)
before = m.variables
m(tf.ones((1, 3))), before, [v.name for v in m.variables], m.name

class Holder(tf.Module):
    def __init__(self):
        super().__init__()
        self.layers = [tf.Variable(1.0, name='a'), {'x': tf.Variable(2.0, name='b'), 'y': (tf.Variable(3.0, name='c'), [tf.Variable(4.0, name='d')])}]
        self.z = {'k2': tf.Variable(5.0, name='e'), 'k1': tf.Variable(6.0, name='f')}
        self.other = 3
m = Holder()
[v.name for v in m.variables], [v.name for v in m.trainable_variables]

class A(tf.Module):
    def __init__(self):
        super().__init__()
        self.v = tf.Variable(1.0, name='v')
class B(tf.Module):
    def __init__(self):
        super().__init__()
        self.many = [A(), A()]
        self.named = {'q': A()}
        self.same = self.many[0]
m = B()
len(m.variables), len(m.submodules), [type(s).__name__ for s in m.submodules]

class M(tf.Module):
    @tf.Module.with_name_scope
    def __call__(self, x):
        if not hasattr(self, 'w'):
            self.w = tf.Variable(tf.ones([x.shape[1], 3]), name='w')
        return tf.matmul(x, self.w)
m = M()
m(tf.ones([1, 2])), m.w.name, m.name, m.name_scope.name

class Outer(tf.Module):
    def __init__(self, name=None):
        super().__init__(name)
        with self.name_scope:
            self.v = tf.Variable(1.0, name='v')
Outer().v.name, Outer('mine').v.name, Outer('mine').name_scope.name

class CamelCaseModule(tf.Module):
    pass
class HTTPModule2(tf.Module):
    pass
class MLPBlock(tf.Module):
    pass
[c().name for c in (CamelCaseModule, HTTPModule2, MLPBlock)]

# message
tf.Module(name='not valid')

tf.Module('a').name, tf.Module().name

class Bad(tf.Module):
    def __init__(self):
        self.v = tf.Variable(1.0)
m = Bad()
len(m.variables)

class Bad(tf.Module):
    def __init__(self):
        self.v = tf.Variable(1.0)
Bad().name

import tempfile, os
class M(tf.Module):
    def __init__(self, k):
        super().__init__()
        self.v = tf.Variable(k)
        self.many = [tf.Variable(k * 2), {'a': tf.Variable(k * 3)}]
m = M(1.0)
p = tf.train.Checkpoint(model=m).write(os.path.join(tempfile.mkdtemp(), 'c'))
n = M(9.0)
tf.train.Checkpoint(model=n).restore(p)
sorted(k for k, _ in tf.train.list_variables(p)), n.variables

class MySequential(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(2.0)
    @tf.function
    def __call__(self, x):
        return x * self.w
a, b = MySequential(), MySequential()
b.w.assign(3.0)
a(tf.constant(1.0)), b(tf.constant(1.0)), a(tf.constant(5.0))

class M(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(5.0)
        self.b = tf.Variable(0.0)
    def __call__(self, x):
        return self.w * x + self.b
m = M()
x = tf.linspace(-2.0, 2.0, 21)
y = x * 3.0 + 2.0
for i in range(10):
    with tf.GradientTape() as t:
        loss = tf.reduce_mean(tf.square(y - m(x)))
    dw, db = t.gradient(loss, [m.w, m.b])
    m.w.assign_sub(0.1 * dw)
    m.b.assign_sub(0.1 * db)
m.w, m.b, loss

m = tf.Module()
m.v = tf.Variable(1.0)
m.f = tf.function(lambda x: x * m.v)
m.f(tf.constant(2.0)), len(m.variables)
