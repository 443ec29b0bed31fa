/* Threads where there is one: locks are free, and what runs once runs at once. */
#ifndef LAB_PLAYGROUND_PTHREAD_H
#define LAB_PLAYGROUND_PTHREAD_H

typedef int pthread_mutex_t, pthread_rwlock_t, pthread_cond_t, pthread_once_t, pthread_key_t;
#define PTHREAD_MUTEX_INITIALIZER 0
#define PTHREAD_RWLOCK_INITIALIZER 0
#define PTHREAD_COND_INITIALIZER 0
#define PTHREAD_ONCE_INIT 0

#define NOTHING_TO(name, type)                                                                                         \
    static inline int name(type *object)                                                                               \
    {                                                                                                                  \
        (void)object;                                                                                                  \
        return 0;                                                                                                      \
    }
NOTHING_TO(pthread_mutex_lock, pthread_mutex_t)
NOTHING_TO(pthread_mutex_trylock, pthread_mutex_t)
NOTHING_TO(pthread_mutex_unlock, pthread_mutex_t)
NOTHING_TO(pthread_mutex_destroy, pthread_mutex_t)
NOTHING_TO(pthread_rwlock_rdlock, pthread_rwlock_t)
NOTHING_TO(pthread_rwlock_wrlock, pthread_rwlock_t)
NOTHING_TO(pthread_rwlock_unlock, pthread_rwlock_t)
NOTHING_TO(pthread_rwlock_destroy, pthread_rwlock_t)
NOTHING_TO(pthread_cond_broadcast, pthread_cond_t)
#undef NOTHING_TO

static inline int pthread_mutex_init(pthread_mutex_t *mutex, const void *attributes)
{
    (void)attributes;
    return *mutex = 0;
}

static inline int pthread_rwlock_init(pthread_rwlock_t *lock, const void *attributes)
{
    (void)attributes;
    return *lock = 0;
}

static inline int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    (void)condition;
    (void)mutex;
    return 0;
}

static inline int pthread_once(pthread_once_t *once, void (*function)(void))
{
    if (!*once) {
        *once = 1;
        function();
    }
    return 0;
}

static inline int pthread_key_create(pthread_key_t *key, void (*destructor)(void *value))
{
    (void)destructor;
    return *key = 0;
}

static inline int pthread_setspecific(pthread_key_t key, const void *value)
{
    (void)key;
    (void)value;
    return 0;
}

static inline int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    (void)prepare;
    (void)parent;
    (void)child;
    return 0;
}

#endif
